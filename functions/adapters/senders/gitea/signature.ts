import { hmacHeader } from '../signatures/hmac-header.ts';

/** Gitea: the bare digits (https://docs.gitea.com/usage/webhooks). */
export const giteaSignature = hmacHeader('', 'x-gitea-signature');

/** Forgejo, whose older versions signed as Gitea. */
export const forgejoSignature = hmacHeader('', 'x-forgejo-signature', 'x-gitea-signature');

/** Gogs (https://gogs.io/docs/features/webhook). */
export const gogsSignature = hmacHeader('', 'x-gogs-signature');
