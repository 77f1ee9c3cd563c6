"""The measured write path: labelled cases as data, played through the service, scored against their labels."""
