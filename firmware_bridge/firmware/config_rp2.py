"""Which pin of the Pico does what; hardware_docs/wiring.md shows the same table."""

SPI_CLOCK = 2
SPI_OUT = 3
SPI_IN = 4
INPUT_LOAD = 5  # 74HC165 SH/LD
OUTPUT_LATCH = 6  # 74HC595 RCLK
OUTPUT_OFF = 7  # 74HC595 OE, 10 k pull-up to 3.3 V
CONTACTOR = 8  # coil driver, 10 k pull-down
DRUM_HALL = 9
MUX_SELECT = (10, 11, 12, 13)
ADC_MUX = 26  # motors 0 to 15
ADC_LAST = 27  # motor 16
ADC_SUPPLY = 28
UART = None  # None: USB; 0: UART0 on the pins below
UART_TX = 0
UART_RX = 1
INVERTED = 0  # sensors that read 0 when they see something, one bit each
FULL_SCALE_MA = 6600  # at 3.3 V: INA181A1 (x20) over 25 mOhm
FULL_SCALE_MV = 36300  # at 3.3 V: 100 k over 10 k
