import { hmacHeader } from '../signatures/scheme.ts';

/** Bitbucket Cloud (https://support.atlassian.com/bitbucket-cloud/docs/manage-webhooks/#Secure-webhooks). */
export const bitbucketSignature = hmacHeader('sha256=', 'x-hub-signature');
