"""The compiled cellar of the areas: layouts of sorted scores, and the passes over them."""
