"""The headings of the rule text, as refusals name them: one spelling for the rules and for what reads the table."""

GAME_PLAY = "Game play"
ADD_TOPPINGS = "Add Toppings"
UNSELECTED_TURN = "Unselected Color's Turn"
CUT_PIZZA = "Cut Pizza"
REPLACE_TOPPINGS = "Replace Toppings"
END_GAME = "End Game"
