"""From a snippet to typed nuggets: detectors, the rules of the papers, question templates."""
