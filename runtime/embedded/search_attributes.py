"""The search attributes of the namespace `default`: what to add, what contradicts, and when all are usable.

The development server registers the attributes of its command line in a new database alone. In an older one
it ignores them without a word, so that they are compared and added here at every start.
"""

from collections.abc import Iterable, Mapping
from typing import Literal

from temporalio.api.enums.v1 import IndexedValueType
from temporalio.api.operatorservice.v1 import AddSearchAttributesRequest, ListSearchAttributesRequest
from temporalio.api.workflowservice.v1 import CountWorkflowExecutionsRequest
from temporalio.client import Client
from temporalio.service import RPCError

from runtime.embedded.errors import SearchAttributeConflict

NAMESPACE = "default"

SearchAttributeType = Literal["Text", "Keyword", "Int", "Double", "Bool", "Datetime", "KeywordList"]

VALUE_TYPES: Mapping[SearchAttributeType, IndexedValueType.ValueType] = {
    "Text": IndexedValueType.INDEXED_VALUE_TYPE_TEXT,
    "Keyword": IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
    "Int": IndexedValueType.INDEXED_VALUE_TYPE_INT,
    "Double": IndexedValueType.INDEXED_VALUE_TYPE_DOUBLE,
    "Bool": IndexedValueType.INDEXED_VALUE_TYPE_BOOL,
    "Datetime": IndexedValueType.INDEXED_VALUE_TYPE_DATETIME,
    "KeywordList": IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD_LIST,
}


def missing_attributes(
    wanted: Mapping[str, SearchAttributeType], present: Mapping[str, IndexedValueType.ValueType]
) -> dict[str, IndexedValueType.ValueType]:
    """The attributes to add. Raises SearchAttributeConflict for one that is present with another type."""
    missing: dict[str, IndexedValueType.ValueType] = {}
    for name, type_name in wanted.items():
        if name not in present:
            missing[name] = VALUE_TYPES[type_name]
        elif present[name] != VALUE_TYPES[type_name]:
            names = {value: known for known, value in VALUE_TYPES.items()}
            raise SearchAttributeConflict(name, type_name, names.get(present[name], "of another type"))
    return missing


async def add_missing_attributes(client: Client, wanted: Mapping[str, SearchAttributeType]) -> None:
    """Register those of `wanted` that are not registered. Raises SearchAttributeConflict, RPCError."""
    listed = await client.operator_service.list_search_attributes(
        ListSearchAttributesRequest(namespace=NAMESPACE)
    )
    missing = missing_attributes(wanted, dict(listed.custom_attributes))
    if missing:
        await client.operator_service.add_search_attributes(
            AddSearchAttributesRequest(namespace=NAMESPACE, search_attributes=missing)
        )


async def attributes_are_usable(client: Client, names: Iterable[str]) -> bool:
    """Whether a query may name all of `names`; the server learns of a new attribute with a delay."""
    query = " AND ".join(f"`{name}` IS NULL" for name in names)
    try:
        await client.workflow_service.count_workflow_executions(
            CountWorkflowExecutionsRequest(namespace=NAMESPACE, query=query)
        )
    except RPCError:
        return False
    return True
