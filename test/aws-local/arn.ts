import { ACCOUNT, REGION } from './clients.ts';

/**
 * Returns the name at the end of an ARN: `log` of a table's or a table stream's, `check.fifo` of a queue's, the id of a
 * key's. Returns anything else (a plain name, a key id) unchanged, so that callers accept both.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference-arns.html
 */
export function nameOf(arnOrName: string): string {
  if (!arnOrName.startsWith('arn:')) return arnOrName;
  const resource = arnOrName.split(':').slice(5).join(':');
  const [, table] = /^table\/([^/]+)/.exec(resource) ?? [];
  return table ?? resource.replace(/^(?:secret:|function:|key\/)/, '');
}

/** Returns the ARN of a part of an API, as permissions and policies name it. */
export function executeApiArn(apiId: string, part: string): string {
  return `arn:aws:execute-api:${REGION}:${ACCOUNT}:${apiId}/${part}`;
}
