"""The subjects of the rule text, as refusals name them, in its order: the text is one piece without headings."""

SETUP = "Setup"
ROLL = "Rolling the dice"
PICK = "Picking a die"
MARK = "Marking the dot arrangement"
EXTRA_DOTS = "Extra dots from toppings"
