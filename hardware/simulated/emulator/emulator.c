/* Runs the board's own ELF, cycle by cycle, behind a pseudo-terminal.
 *
 *   emulator ELF LINK [free] [loader] [boots=N]
 *
 * LINK becomes a symbolic link to the terminal: the board's stable device name. Time is real time unless `free` is
 * given; then it is as fast as this machine can, and only as far as commands say. `boots` is what the EEPROM counts.
 * `loader`: the cause of a reset is cleared, as by Arduino's boot loader for the Mega.
 *
 * Commands, a line each, on standard input; every one is answered by a line:
 *   edge CYCLE PIN LEVEL   PIN such as K0 gets LEVEL (0 or 1) at that cycle, or at once if it is over   "ok"
 *   soon CYCLES PIN LEVEL...  the same for several edges, so many cycles from when the command is read   "ok"
 *   now                    "now CYCLE NANOSECONDS": of the cycle counter and of the monotonic clock
 *   until CYCLE [said]     free time runs to that cycle first; with `said` only until the board has said something
 *                          and fallen silent                                                            "now ..."
 *   fired                  cycles at which the edges since the last `fired` came   "fired CYCLE..."
 *   bridge PIN PIN         two pins of one port touch from now on: either pulls the other low   "ok"
 *   level PIN              what is on a pin                                        "level 0|1"
 *   masked                 longest time without interrupts since the last `masked`, in cycles; the first one
 *                          only begins                                             "masked CYCLES"
 *   late                   by how much real time was ahead of the board at most, in cycles, as the machine had other
 *                          things to do; what was never caught up with is added                "late CYCLES"
 *   reset                  as by the reset button                                  "ok"
 *   power                  as by pulling the plug and putting it back: RAM is rubbish   "ok"
 *   hang                   the processor jumps on the spot: the watchdog's turn    "ok"
 *   unplug, plug           the terminal goes away, the board runs on; another one comes   "ok"
 *   quit                   the end
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include <simavr/avr_eeprom.h>
#include <simavr/avr_ioport.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>

#define HERTZ 16000000ULL
#define BAUD 115200ULL
#define CYCLES_PER_BYTE (10 * HERTZ / BAUD)
/* How often free time looks at the world outside: 0.1 ms. */
#define SLICE (HERTZ / 10000)
/* Real time does it once a millisecond, as USB does: more often costs more than the emulation itself. */
#define PACE_NS 1000000
/* A machine that was asleep or too busy for longer is not caught up with: the board's clock stood still meanwhile. */
#define LONGEST_LAG (HERTZ / 2)
#define EDGES 4096
#define MCUSR_AT 0x54
#define PORTS "ABCDEFGHJKL"

struct edge {
    uint64_t cycle;
    char port;
    uint8_t bit;
    uint8_t level;
};

static avr_t *avr;
static uint8_t grounded[26]; /* bits of each port that a contact connects to ground */
static uint8_t pulled_low[26]; /* the same, and those that a bridge pulls there */
static char bridge_port;       /* 0: no two pins touch */
static uint8_t bridge_bits;
static bool is_free;
static bool has_loader;
static uint64_t goal; /* cycle that free time may run to */
static bool stops_when_said;
static uint64_t said_at; /* cycle of the board's last byte; 0: none since the goal was set */
static struct timespec started;
static uint64_t started_cycle;

static struct edge edges[EDGES]; /* by time, a ring */
static uint32_t edges_begin;
static uint32_t edges_end;
static uint64_t fired[EDGES];
static uint32_t fired_size;

static const char *link_path;
static int terminal = -1;
static uint8_t incoming[4096];
static size_t incoming_begin;
static size_t incoming_end;
static uint8_t outgoing[256]; /* said since the terminal was last written to */
static size_t outgoing_size;
static uint64_t next_byte;
static uint64_t alarm_cycle; /* what is due next from outside; 0: no alarm is set */

static bool measures_masked; /* from the first time it was asked */
static uint64_t masked_since;
static uint64_t masked_longest;
static uint64_t latest;
static uint64_t skipped;

static void die(const char *what)
{
    fprintf(stderr, "emulator: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void log_nothing(avr_t *unused, const int level, const char *format, va_list arguments)
{
    (void)unused;
    if (level <= LOG_ERROR) {
        vfprintf(stderr, format, arguments);
    }
}

/* Pins ----------------------------------------------------------------------------------------------------------- */

static avr_irq_t *pin_irq(char port, uint8_t bit)
{
    return avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ(port), IOPORT_IRQ_PIN0 + bit);
}

/* What pulls a pin to ground, or nothing: then it is what it is driven or pulled up to. */
static void pin_pull(char port, uint8_t bit, bool low)
{
    uint8_t *bits = &pulled_low[port - 'A'];
    *bits = (uint8_t)(low ? *bits | 1u << bit : *bits & ~(1u << bit));
    avr_ioport_external_t external = {.name = port, .mask = *bits, .value = 0};
    avr_ioctl(avr, AVR_IOCTL_IOPORT_SET_EXTERNAL(port), &external);
    avr_raise_irq(pin_irq(port, bit), !low);
}

static void pin_set(char port, uint8_t bit, uint8_t level)
{
    uint8_t *low = &grounded[port - 'A'];
    *low = (uint8_t)(level ? *low & ~(1u << bit) : *low | 1u << bit);
    pin_pull(port, bit, !level);
}

/* Of pins that touch, each is low that is driven or connected to ground, and with it all of them. */
static void bridge_settle(void)
{
    avr_ioport_state_t state;
    if (!bridge_port || avr_ioctl(avr, AVR_IOCTL_IOPORT_GETSTATE(bridge_port), &state)) {
        return;
    }
    uint8_t driven_low = (uint8_t)(state.ddr & ~state.port);
    bool low = ((driven_low | grounded[bridge_port - 'A']) & bridge_bits) != 0;
    for (uint8_t bit = 0; bit < 8; bit++) {
        if ((bridge_bits >> bit & 1) && low != (pulled_low[bridge_port - 'A'] >> bit & 1)) {
            pin_pull(bridge_port, bit, low);
        }
    }
}

/* A reset clears the registers behind the pins' backs: what they are pulled to has to be noticed again. */
static void pins_forget(void)
{
    for (const char *port = PORTS; *port; port++) {
        for (uint8_t bit = 0; bit < 8; bit++) {
            pin_irq(*port, bit)->value = 0;
        }
    }
}

/* simavr's atmega2560 has no pin change interrupt on port K: datasheet, 15.2.5 to 15.2.8 and table 14-1. */
static void pins_add_interrupt(void)
{
    for (avr_io_t *io = avr->io_port; io; io = io->next) {
        avr_ioport_t *port = (avr_ioport_t *)io;
        if (!strcmp(io->kind, "port") && port->name == 'K' && !port->r_pcint) {
            port->r_pcint = 0x6d;                                                    /* PCMSK2 */
            port->pcint.enable = (avr_regbit_t){.reg = 0x68, .bit = 2, .mask = 1};   /* PCIE2 in PCICR */
            port->pcint.raised = (avr_regbit_t){.reg = 0x3b, .bit = 2, .mask = 1};   /* PCIF2 in PCIFR */
            port->pcint.vector = 11;                                                 /* PCINT2 */
            avr_register_vector(avr, &port->pcint);
        }
    }
}

static int pin_level(char port, uint8_t bit)
{
    avr_ioport_state_t state;
    if (avr_ioctl(avr, AVR_IOCTL_IOPORT_GETSTATE(port), &state)) {
        return -1;
    }
    unsigned int levels = state.ddr & 1u << bit ? state.port : state.pin;
    return (levels >> bit) & 1;
}

static void edges_fire(void)
{
    while (edges_begin != edges_end && edges[edges_begin % EDGES].cycle <= avr->cycle) {
        struct edge *edge = &edges[edges_begin++ % EDGES];
        pin_set(edge->port, edge->bit, edge->level);
        if (fired_size < EDGES) {
            fired[fired_size++] = avr->cycle;
        }
    }
}

static bool edges_add(struct edge edge)
{
    if (edges_end - edges_begin == EDGES) {
        return false;
    }
    uint32_t at = edges_end++;
    while (at != edges_begin && edges[(at - 1) % EDGES].cycle > edge.cycle) {
        edges[at % EDGES] = edges[(at - 1) % EDGES];
        at--;
    }
    edges[at % EDGES] = edge;
    return true;
}

/* The serial line ------------------------------------------------------------------------------------------------ */

/* Nobody there or nobody reading: bytes on a wire are gone. */
static void line_flush(void)
{
    if (terminal >= 0 && outgoing_size && write(terminal, outgoing, outgoing_size) < 0 && errno != EAGAIN &&
        errno != EIO) {
        die("write");
    }
    outgoing_size = 0;
}

static void line_open(void)
{
    int other;
    char name[64];
    struct termios raw;
    memset(&raw, 0, sizeof raw);
    cfmakeraw(&raw);
    if (openpty(&terminal, &other, name, &raw, NULL)) {
        die("openpty");
    }
    /* Closing our end of `other` would hang the line up before anybody has opened it: it stays open while plugged. */
    if (fcntl(terminal, F_SETFL, O_NONBLOCK)) {
        die("fcntl");
    }
    /* By way of this process: the kernel gives the number of a terminal that is gone to the next one, and a name that
     * was left behind by a killed emulator must not lead to somebody else's board. */
    char here[128];
    snprintf(here, sizeof here, "/proc/%d/root%s", (int)getpid(), name);
    char temporary[4096];
    snprintf(temporary, sizeof temporary, "%s.new", link_path);
    unlink(temporary);
    if (symlink(here, temporary) || rename(temporary, link_path)) {
        die(link_path);
    }
    close(other);
    incoming_begin = incoming_end = outgoing_size = 0;
}

static void line_close(void)
{
    if (terminal >= 0) {
        line_flush();
        unlink(link_path);
        close(terminal);
        terminal = -1;
    }
}

static void line_send(struct avr_irq_t *irq, uint32_t byte, void *unused)
{
    (void)irq;
    (void)unused;
    said_at = avr->cycle;
    outgoing[outgoing_size++] = (uint8_t)byte;
    if (outgoing_size == sizeof outgoing) {
        line_flush();
    }
}

static void line_read(void)
{
    if (terminal < 0 || incoming_begin != incoming_end) {
        return;
    }
    ssize_t size = read(terminal, incoming, sizeof incoming);
    incoming_begin = 0;
    incoming_end = size > 0 ? (size_t)size : 0;
}

static void line_deliver(void)
{
    if (incoming_begin != incoming_end && avr->cycle >= next_byte) {
        avr_raise_irq(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT), incoming[incoming_begin++]);
        next_byte = avr->cycle + CYCLES_PER_BYTE;
    }
}

/* The board ------------------------------------------------------------------------------------------------------ */

static void uart_connect(void)
{
    uint32_t flags = 0;
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
}

static void (*core_reset)(avr_t *avr);

static avr_cycle_count_t clear_cause(avr_t *its, avr_cycle_count_t when, void *unused)
{
    (void)when, (void)unused;
    its->data[MCUSR_AT] = 0;
    return 0;
}

static void board_on_reset(avr_t *its)
{
    core_reset(its);
    pins_forget();
    alarm_cycle = 0; /* a reset forgets all timers */
    if (has_loader) {
        avr_cycle_timer_register(its, 1, clear_cause, NULL); /* it is set by now, and nothing has looked at it */
    }
}

static void board_restart(uint8_t cause)
{
    avr_reset(avr);
    uart_connect();
    avr->data[MCUSR_AT] = cause;
}

/* What RAM holds when power comes, nobody knows. */
static void ram_spoil(void)
{
    uint8_t *bytes = avr->data + avr->ioend + 1;
    size_t left = avr->ramend - avr->ioend;
    while (left) {
        ssize_t got = getrandom(bytes, left, 0);
        if (got < 0) {
            die("getrandom");
        }
        bytes += got;
        left -= (size_t)got;
    }
}

static void board_make(const char *elf, uint16_t boots)
{
    elf_firmware_t firmware;
    memset(&firmware, 0, sizeof firmware);
    if (elf_read_firmware(elf, &firmware)) {
        die(elf);
    }
    strcpy(firmware.mmcu, "atmega2560");
    firmware.frequency = HERTZ;
    avr = avr_make_mcu_by_name(firmware.mmcu);
    if (!avr) {
        die("simavr has no atmega2560");
    }
    avr_init(avr);
    avr_load_firmware(avr, &firmware);
    pins_add_interrupt();
    core_reset = avr->reset;
    avr->reset = board_on_reset;
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), line_send, NULL);
    uint8_t stored[2] = {(uint8_t)boots, (uint8_t)(boots >> 8)};
    avr_eeprom_desc_t eeprom = {.ee = stored, .offset = 0, .size = 2};
    avr_ioctl(avr, AVR_IOCTL_EEPROM_SET, &eeprom);
    ram_spoil();
    uart_connect();
    avr->data[MCUSR_AT] = 1;
    if (has_loader) {
        avr_cycle_timer_register(avr, 1, clear_cause, NULL);
    }
}

static void board_power(void)
{
    ram_spoil();
    board_restart(1);
}

static void board_hang(void)
{
    /* rjmp .-2 where the processor is now; a reset finds the program as it was. */
    uint8_t kept[2] = {avr->flash[avr->pc], avr->flash[avr->pc + 1]};
    avr_flashaddr_t at = avr->pc;
    avr->flash[at] = 0xff;
    avr->flash[at + 1] = 0xcf;
    uint64_t end = avr->cycle + HERTZ;
    while (avr->cycle < end && avr->pc == at) {
        avr_run(avr);
    }
    avr->flash[at] = kept[0];
    avr->flash[at + 1] = kept[1];
}

/* Whatever comes from outside at a certain cycle stops the processor there, and only then is it looked after: between
 * two such cycles simavr runs on by itself, which takes a third of the time. */
static avr_cycle_count_t alarm_ring(struct avr_t *its, avr_cycle_count_t when, void *unused)
{
    (void)its;
    (void)when;
    (void)unused;
    alarm_cycle = 0;
    return 0;
}

static void alarm_set(uint64_t end)
{
    uint64_t next = end;
    if (edges_begin != edges_end && edges[edges_begin % EDGES].cycle < next) {
        next = edges[edges_begin % EDGES].cycle;
    }
    if (incoming_begin != incoming_end && next_byte < next) {
        next = next_byte;
    }
    if (next != alarm_cycle) {
        alarm_cycle = next;
        avr_cycle_timer_register(avr, next - avr->cycle, alarm_ring, NULL);
    }
}

/* Pins that touch, and times without interrupts, change with any instruction. */
static bool is_watched(void)
{
    return bridge_port || measures_masked;
}

static void board_watch(void)
{
    bridge_settle();
    if (avr->sreg[S_I]) {
        if (masked_since && avr->cycle - masked_since > masked_longest) {
            masked_longest = avr->cycle - masked_since;
        }
        masked_since = avr->cycle;
    }
}

static void board_run(uint64_t end)
{
    while (avr->cycle < end) {
        edges_fire();
        line_deliver();
        alarm_set(end);
        avr->run_cycle_limit = is_watched() ? 1 : SLICE;
        int state = avr_run(avr);
        if (is_watched()) {
            board_watch();
        }
        if (state == cpu_Done || state == cpu_Crashed) {
            fprintf(stderr, "emulator: the program crashed at %x\n", avr->pc);
            exit(1);
        }
    }
}

/* Time and commands ---------------------------------------------------------------------------------------------- */

static uint64_t nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000ULL + (uint64_t)now.tv_nsec;
}

static uint64_t due_cycle(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t passed = (now.tv_sec - started.tv_sec) * 1000000000LL + (now.tv_nsec - started.tv_nsec);
    return started_cycle + (uint64_t)passed * (HERTZ / 1000000) / 1000;
}

static void answer_now(void)
{
    printf("now %llu %llu\n", (unsigned long long)avr->cycle, (unsigned long long)nanoseconds());
}

static void answer_fired(void)
{
    printf("fired");
    for (uint32_t at = 0; at < fired_size; at++) {
        printf(" %llu", (unsigned long long)fired[at]);
    }
    printf("\n");
    fired_size = 0;
}

static void answer_masked(void)
{
    printf("masked %llu\n", (unsigned long long)masked_longest);
    masked_since = measures_masked ? avr->cycle : 0; /* a slice that is under way ends unwatched */
    measures_masked = true;
    masked_longest = 0;
}

static void on_edge(const char *line)
{
    struct edge edge;
    unsigned long long cycle;
    unsigned int bit, level;
    if (sscanf(line, "edge %llu %c%u %u", &cycle, &edge.port, &bit, &level) != 4 || bit > 7 || level > 1) {
        printf("wrong: %s\n", line);
        return;
    }
    edge.cycle = cycle;
    edge.bit = (uint8_t)bit;
    edge.level = (uint8_t)level;
    printf(edges_add(edge) ? "ok\n" : "wrong: too many edges\n");
}

static void on_soon(const char *line)
{
    uint64_t now = avr->cycle;
    struct edge edge;
    unsigned long long cycles;
    unsigned int bit, level;
    int size;
    const char *rest = line + strlen("soon");
    while (sscanf(rest, " %llu %c%u %u%n", &cycles, &edge.port, &bit, &level, &size) == 4 && bit <= 7 && level <= 1) {
        edge.cycle = now + cycles;
        edge.bit = (uint8_t)bit;
        edge.level = (uint8_t)level;
        if (!edges_add(edge)) {
            printf("wrong: too many edges\n");
            return;
        }
        rest += size;
    }
    printf(*rest ? "wrong: %s\n" : "ok\n", line);
}

static void on_bridge(const char *line)
{
    char port, other;
    unsigned int bit, other_bit;
    if (sscanf(line, "bridge %c%u %c%u", &port, &bit, &other, &other_bit) != 4 || port != other || bit > 7 ||
        other_bit > 7 || !strchr(PORTS, port)) {
        printf("wrong: %s\n", line);
        return;
    }
    bridge_port = port;
    bridge_bits = (uint8_t)(1u << bit | 1u << other_bit);
    printf("ok\n");
}

static bool on_plain(const char *line)
{
    if (!strcmp(line, "reset")) {
        board_restart(2);
    } else if (!strcmp(line, "power")) {
        board_power();
    } else if (!strcmp(line, "hang")) {
        board_hang();
    } else if (!strcmp(line, "unplug")) {
        line_close();
    } else if (!strcmp(line, "plug")) {
        line_close();
        line_open();
    } else {
        return false;
    }
    printf("ok\n");
    return true;
}

static void on_line(const char *line)
{
    unsigned long long cycle;
    char port;
    unsigned int bit;
    if (!strncmp(line, "edge ", 5)) {
        on_edge(line);
    } else if (!strncmp(line, "soon ", 5)) {
        on_soon(line);
    } else if (!strncmp(line, "bridge ", 7)) {
        on_bridge(line);
    } else if (!strcmp(line, "now")) {
        answer_now();
    } else if (sscanf(line, "until %llu", &cycle) == 1) {
        goal = cycle;
        stops_when_said = strstr(line, " said") != NULL;
        said_at = 0;
        if (!is_free || goal <= avr->cycle) {
            answer_now();
        }
    } else if (!strcmp(line, "fired")) {
        answer_fired();
    } else if (sscanf(line, "level %c%u", &port, &bit) == 2) {
        printf("level %d\n", pin_level(port, (uint8_t)bit));
    } else if (!strcmp(line, "late")) {
        printf("late %llu\n", (unsigned long long)(latest + skipped));
    } else if (!strcmp(line, "masked")) {
        answer_masked();
    } else if (!strcmp(line, "quit")) {
        line_close();
        exit(0);
    } else if (!on_plain(line)) {
        printf("wrong: %s\n", line);
    }
}

/* Takes the commands that are there; free time that has reached its goal waits for one. */
static void commands_take(bool wait)
{
    static char pending[1 << 16];
    static size_t size;
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    if (poll(&input, 1, wait ? -1 : 0) <= 0) {
        return;
    }
    ssize_t got = read(STDIN_FILENO, pending + size, sizeof pending - size);
    if (got <= 0) {
        line_close();
        exit(0);
    }
    size += (size_t)got;
    char *begin = pending;
    char *end;
    while ((end = memchr(begin, '\n', size - (size_t)(begin - pending)))) {
        *end = 0;
        on_line(begin);
        begin = end + 1;
    }
    size -= (size_t)(begin - pending);
    memmove(pending, begin, size);
    fflush(stdout);
}

/* Who drives free time has written to the terminal before it lets time pass. */
static void run_free(void)
{
    for (;;) {
        commands_take(true);
        if (avr->cycle >= goal) {
            continue;
        }
        line_read();
        while (avr->cycle < goal) {
            board_run(avr->cycle + SLICE < goal ? avr->cycle + SLICE : goal);
            if (stops_when_said && said_at && avr->cycle - said_at > 2 * CYCLES_PER_BYTE) {
                goal = avr->cycle;
            }
        }
        line_flush();
        answer_now();
        fflush(stdout);
    }
}

static void run_paced(void)
{
    static const struct timespec pause = {0, PACE_NS};
    for (;;) {
        commands_take(false);
        line_read();
        uint64_t due = due_cycle();
        if (due > avr->cycle + LONGEST_LAG) {
            skipped += due - avr->cycle;
            started_cycle -= due - avr->cycle;
            due = avr->cycle;
        }
        if (due > avr->cycle && due - avr->cycle > latest) {
            latest = due - avr->cycle;
        }
        while (avr->cycle < due) {
            board_run(due - avr->cycle > SLICE ? avr->cycle + SLICE : due);
            line_flush();
            line_read();
        }
        clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
    }
}

int main(int count, char **arguments)
{
    uint16_t boots = 0xffff;
    if (count < 3) {
        fprintf(stderr, "usage: emulator ELF LINK [free] [loader] [boots=N]\n");
        return 2;
    }
    for (int at = 3; at < count; at++) {
        if (!strcmp(arguments[at], "free")) {
            is_free = true;
        } else if (!strcmp(arguments[at], "loader")) {
            has_loader = true;
        } else if (!strncmp(arguments[at], "boots=", 6)) {
            boots = (uint16_t)atoi(arguments[at] + 6);
        } else {
            fprintf(stderr, "emulator: %s: no such option\n", arguments[at]);
            return 2;
        }
    }
    link_path = arguments[2];
    avr_global_logger_set(log_nothing);
    board_make(arguments[1], boots);
    line_open();
    clock_gettime(CLOCK_MONOTONIC, &started);
    started_cycle = avr->cycle;
    printf("ready\n");
    fflush(stdout);
    if (is_free) {
        run_free();
    }
    run_paced();
}
