// The kit's first module: it gives each part of the page its script. Everything
// here only adds to pages that work as plain forms. A room's own module adds
// what only its pages need; it is loaded after this one.
import { listen } from './live.js';
import { shortcuts } from './keys.js';
import { submitQuietly, submitOnce, stayAwake, printButton, sendOnChange } from './forms.js';
import { checkFields } from './check.js';
import { aadhaarField } from './aadhaar.js';
import { amountField } from './amount.js';
import { openCash } from './cash.js';

const each = (selector, start) => document.querySelectorAll(selector).forEach(start);

each('[data-aadhaar]', aadhaarField);
each('[data-amount]', amountField);
each('form[data-check]', checkFields);
each('[data-print]', printButton);
each('select[data-change]', sendOnChange);
submitQuietly();
submitOnce();
// A customer who touches the screen is no touch of the agent.
if (!document.body.matches('[data-front]')) {
  stayAwake();
  shortcuts();
  openCash();
}
listen();
