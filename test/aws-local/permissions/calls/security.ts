import { nameOf } from '../../arn.ts';
import type { Input } from '../../emulators/json-endpoint.ts';
import { keyIdOf } from '../../emulators/kms.ts';
import { ACCOUNT, REGION } from '../../place.mjs';
import { isRecord } from '../../template/intrinsics.ts';
import type { Call } from '../guard.mjs';

/** By `X-Amz-Target`. */
const CALLS: Readonly<Record<string, (input: Input) => Call>> = {
  'TrentService.Encrypt': (input) => onKey('Encrypt', nameOf(String(input.KeyId)), input),
  // The ciphertext knows its key, so that the request need not name it.
  'TrentService.Decrypt': (input) => onKey('Decrypt', keyIdOf(input) ?? nameOf(String(input.KeyId)), input),
  'secretsmanager.GetSecretValue': ({ SecretId }) => onSecret('GetSecretValue', SecretId),
  'secretsmanager.CreateSecret': ({ Name }) => onSecret('CreateSecret', Name),
};

/** Returns the permissions that a request to KMS or Secrets Manager needs; undefined for one that is not known here. */
export function securityCalls(target: string, input: Input): Call[] | undefined {
  return Object.hasOwn(CALLS, target) ? [CALLS[target]].flatMap((call) => call?.(input) ?? []) : undefined;
}

function onKey(operation: string, id: string, { EncryptionContext: pairs }: Input): Call {
  const context = Object.entries(isRecord(pairs) ? pairs : {});
  return {
    action: `kms:${operation}`,
    resource: `arn:aws:kms:${REGION}:${ACCOUNT}:key/${id}`,
    context: Object.fromEntries(context.map(([name, value]) => [`kms:EncryptionContext:${name}`, String(value)])),
  };
}

function onSecret(operation: string, nameOrArn: unknown): Call {
  const resource = `arn:aws:secretsmanager:${REGION}:${ACCOUNT}:secret:${nameOf(String(nameOrArn))}`;
  return { action: `secretsmanager:${operation}`, resource };
}
