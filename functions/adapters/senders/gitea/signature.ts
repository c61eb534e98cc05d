import { hmacHeader } from '../signatures/hmac-header.ts';

/** Gitea: the HMAC without a prefix (https://docs.gitea.com/usage/webhooks). */
export const giteaSignature = hmacHeader('', 'x-gitea-signature');

/** Forgejo, whose older versions send only Gitea's header. */
export const forgejoSignature = hmacHeader('', 'x-forgejo-signature', 'x-gitea-signature');
