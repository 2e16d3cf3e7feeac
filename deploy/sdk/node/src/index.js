// Galla's interface for partners. README.md has the beginning; index.d.ts every type.

export { DirectClient, GatewayClient, newKey, rupees } from './client.js';
export { verifyCallback } from './callback.js';
export { Result } from './result.js';
export { version } from './routes.js';
export {
  GallaError, ValidationError, AuthenticationError, RefusedError, ConflictError, RateLimitError,
  NotSentError, OutcomeUnknownError, DeclinedError, PendingError, CallbackError,
} from './errors.js';
