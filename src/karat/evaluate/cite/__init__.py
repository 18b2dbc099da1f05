"""The citation ledger: what each cited document says about the sentence that cites it."""
