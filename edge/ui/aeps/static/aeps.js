// The script of the pages of AEPS.
import { bankField } from './banks.js';

document.querySelectorAll('select[data-banks]').forEach(bankField);
