"""How far raters agree: on labels, on partitions, and on the places of units in a text."""
