"""The judge `neighbours`: lexical, and what people said about texts that are like this one."""
