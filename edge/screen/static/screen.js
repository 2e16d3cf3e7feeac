// The script of the pages of AEPS.
import { bankField } from './banks.js';
import { countWaits } from './unlock.js';

document.querySelectorAll('select[data-banks]').forEach(bankField);
document.querySelectorAll('button[data-waits]').forEach(countWaits);
