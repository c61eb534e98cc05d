import { hmacHeader } from '../signatures/hmac-header.ts';

/** Bitbucket Cloud (https://support.atlassian.com/bitbucket-cloud/docs/manage-webhooks/#Secure-webhooks). */
export const bitbucketSignature = hmacHeader('sha256=', 'x-hub-signature');
