"""How far raters agree: on labels, on partitions, on where units lie."""
