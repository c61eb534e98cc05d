import { hmacHeader } from '../signatures/hmac-header.ts';

/** GitHub, over a form as well (https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries). */
export const githubSignature = hmacHeader('sha256=', 'x-hub-signature-256');
