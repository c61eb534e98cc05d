import type { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Parameters } from '../parameters.ts';
import { type Access, allow } from './access.ts';

/** Reads the secrets that webhooks are signed with. */
export function readHookSecrets(secrets: Secret): Access {
  return {
    environment: { HOOK_SECRETS: secrets.secretArn },
    statements: [allow(['secretsmanager:GetSecretValue'], secrets.secretArn)],
  };
}

/** Knows the branch that is deployed when the webhook names none. */
export function chooseBranch({ defaultBranch }: Parameters): Access {
  return { environment: { DEFAULT_BRANCH: defaultBranch.valueAsString } };
}

/** Holds deploys, and knows when a hold has expired. */
export function hold({ holdMinutes }: Parameters): Access {
  return { environment: { HOLD_MINUTES: holdMinutes.valueAsString } };
}

/** Writes links to entries and to the explanations of errors. */
export function linkEntries({ publicUrl }: Parameters): Access {
  return { environment: { PUBLIC_URL: publicUrl.valueAsString } };
}

/** Retries failed stages later. */
export function retryLater({ retryBaseSeconds }: Parameters): Access {
  return { environment: { RETRY_BASE_SECONDS: retryBaseSeconds.valueAsString } };
}

/** Knows how often applications are compared with the tips of their branches. */
export function reconcileEvery({ reconcileMinutes }: Parameters): Access {
  return { environment: { RECONCILE_MINUTES: reconcileMinutes.valueAsString } };
}

/** Knows how long previews of pull requests are kept. */
export function keepPreviews({ previewDays }: Parameters): Access {
  return { environment: { PREVIEW_DAYS: previewDays.valueAsString } };
}
