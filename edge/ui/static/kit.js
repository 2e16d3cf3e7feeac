// The kit's main module starts the scripts of the page's parts. Pages also work
// without scripts. A section's own module is loaded after this one.
import { onPage } from './onpage.js';
import { listen } from './live.js';
import { shortcuts } from './keys.js';
import { submitQuietly, submitOnce, keepAlive, printButton, sendOnChange } from './forms.js';
import { checkFields } from './check.js';
import { aadhaarField, forgetAadhaar } from './aadhaar.js';
import { amountField } from './amount.js';
import { watchCashBar } from './cash.js';
import { playWaiting, watchPayments } from './payments.js';
import { sendInPlace, visitInPlace } from './visit.js';

const each = (selector, start) => document.querySelectorAll(selector).forEach(start);

onPage(() => {
  each('[data-aadhaar]', aadhaarField);
  if (!document.querySelector('[data-awaits-aadhaar]')) forgetAadhaar();
  each('[data-amount]', amountField);
  each('form[data-check]', checkFields);
  each('[data-print]', printButton);
  each('select[data-change]', sendOnChange);
});
submitQuietly();
sendInPlace(); // before submitOnce, which loads the page that answers
submitOnce();
// A customer's touch does not count as the agent's activity.
if (!document.body.matches('[data-customer]')) {
  keepAlive();
  shortcuts();
  onPage(watchCashBar);
  playWaiting();
  onPage(watchPayments);
  visitInPlace();
}
listen();
