"""The fixed store: records in every state of their lives, over scopes, people and tenants, and questions on them."""
