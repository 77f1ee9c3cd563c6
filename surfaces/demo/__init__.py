"""The demo: the first story, told through the same service that everything else uses."""
