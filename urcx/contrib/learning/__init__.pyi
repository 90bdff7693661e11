# Made from PUBLIC by python docs/names.py
from urcx.contrib.learning.compressing import Compressed as Compressed
from urcx.contrib.learning.compressing import compress as compress
from urcx.contrib.learning.curve import Bits as Bits
from urcx.contrib.learning.curve import bits as bits
from urcx.contrib.learning.training import StrengthAt as StrengthAt
from urcx.contrib.learning.training import Trained as Trained
from urcx.contrib.learning.training import train as train

COMMANDS: dict[str, tuple[str, str]]
PUBLIC: dict[str, str]
