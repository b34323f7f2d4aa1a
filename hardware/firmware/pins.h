/* What is wired to the microcontroller's pins.
 * Made from hardware/pins.toml by `python -m hardware.pin_table --write`: change that, not this. */

#ifndef PIZZATABLE_PINS_H
#define PIZZATABLE_PINS_H

/* The slap pads: seat n on bit n - 1, low while slapped. */
#define PADS_COUNT 8
#define PADS_PIN PINK
#define PADS_PORT PORTK
#define PADS_DDR DDRK
#define PADS_MASK 0xFFu
#define PADS_PCMSK PCMSK2
#define PADS_PCIE PCIE2
#define PADS_PCIF PCIF2
#define PADS_VECT PCINT2_vect
#define PADS_PORT_LETTER 'K'

/* Docks of the skewers, the tower's beam, spare inputs: on one port with pin change interrupts; low while
 * something is there or in the beam. */
#define TIMED_PIN PINB
#define TIMED_PORT PORTB
#define TIMED_DDR DDRB
#define TIMED_MASK 0x7Fu
#define TIMED_PCMSK PCMSK0
#define TIMED_PCIE PCIE0
#define TIMED_PCIF PCIF0
#define TIMED_VECT PCINT0_vect
#define TIMED_PORT_LETTER 'B'

/* X(name, number, port, bit) for each input of the port above, then for each input that is only polled (the
 * knife's docks, low while it lies there). */
#define TIMED_INPUTS(X) \
    X(SKEWER, 1, B, 4) \
    X(SKEWER, 2, B, 5) \
    X(SKEWER, 3, B, 6) \
    X(BEAM, 1, B, 0) \
    X(SPARE, 1, B, 1) \
    X(SPARE, 2, B, 2) \
    X(SPARE, 3, B, 3)

#define POLLED_INPUTS(X) \
    X(KNIFE, 1, A, 0) \
    X(KNIFE, 2, A, 1) \
    X(KNIFE, 3, A, 2) \
    X(KNIFE, 4, A, 3) \
    X(KNIFE, 5, A, 4) \
    X(KNIFE, 6, A, 5) \
    X(KNIFE, 7, A, 6) \
    X(KNIFE, 8, A, 7)

/* The same for the outputs, high while lit or sounding. */
#define OUTPUTS(X) \
    X(LAMP, 1, C, 0) \
    X(LAMP, 2, C, 1) \
    X(LAMP, 3, C, 2) \
    X(LAMP, 4, C, 3) \
    X(LAMP, 5, C, 4) \
    X(LAMP, 6, C, 5) \
    X(LAMP, 7, C, 6) \
    X(LAMP, 8, C, 7) \
    X(BUZZER, 1, H, 3)

/* The bits in use of each port: pull-ups for inputs, DDR for outputs. */
#define INPUT_MASK_A 0xFFu
#define OUTPUT_MASK_C 0xFFu
#define OUTPUT_MASK_H 0x08u

/* How many there are of each, and their places in the lists above. */
#define SKEWER_COUNT 3
#define SKEWER_FIRST 0
#define BEAM_COUNT 1
#define BEAM_FIRST 3
#define SPARE_COUNT 3
#define SPARE_FIRST 4
#define KNIFE_COUNT 8
#define KNIFE_FIRST 0
#define LAMP_COUNT 8
#define LAMP_FIRST 0
#define BUZZER_COUNT 1
#define BUZZER_FIRST 8

#endif
