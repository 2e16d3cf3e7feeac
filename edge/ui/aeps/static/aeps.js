// The script of the pages of AEPS.
import { onPage } from './onpage.js';
import { bankField } from './banks.js';

onPage(() => document.querySelectorAll('select[data-banks]').forEach(bankField));
