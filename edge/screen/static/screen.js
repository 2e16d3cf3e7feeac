// The first module: it gives each part of the page its script. Everything here
// only adds to pages that work as plain forms.
import { listen } from './live.js';
import { shortcuts } from './keys.js';
import { submitQuietly, submitOnce, stayAwake, countDown, printButton } from './forms.js';
import { checkFields } from './check.js';
import { aadhaarField } from './aadhaar.js';
import { amountField } from './amount.js';
import { bankField } from './banks.js';

const each = (selector, start) => document.querySelectorAll(selector).forEach(start);

each('[data-aadhaar]', aadhaarField);
each('[data-amount]', amountField);
each('select[data-banks]', bankField);
each('form[data-check]', checkFields);
each('button[data-wait]', countDown);
each('[data-print]', printButton);
submitQuietly();
submitOnce();
stayAwake();
shortcuts();
listen();
