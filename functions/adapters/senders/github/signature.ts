import { hmacHeader } from '../signatures/hmac-header.ts';

/**
 * GitHub: over the raw body, JSON or form
 * (https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries).
 */
export const githubSignature = hmacHeader('sha256=', 'x-hub-signature-256');
