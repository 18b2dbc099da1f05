"""From a snippet to nuggets with types: detectors, the rules of the papers, question templates."""
