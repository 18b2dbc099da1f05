"""What finds candidates for nuggets in an analysed sentence, one module a kind."""
