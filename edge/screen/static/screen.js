// The script of the pages of AEPS.
import { bankField } from './banks.js';
import { unlockForm } from './unlock.js';

document.querySelectorAll('select[data-banks]').forEach(bankField);
document.querySelectorAll('form[data-unlock]').forEach(unlockForm);
