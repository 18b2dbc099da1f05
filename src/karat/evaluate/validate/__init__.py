"""How good a judge is, beside what people say."""
