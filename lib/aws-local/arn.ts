/**
 * The name at the end of an ARN: `log` of a table's or a table stream's, `check.fifo` of a queue's, the id of a key's.
 * Anything else (a plain name, a key id) comes back as it is, so that callers may take either.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference-arns.html
 */
export function nameOf(arnOrName: string): string {
  if (!arnOrName.startsWith('arn:')) return arnOrName;
  const resource = arnOrName.split(':').slice(5).join(':');
  const [, table] = /^table\/([^/]+)/.exec(resource) ?? [];
  return table ?? resource.replace(/^(?:secret:|function:|key\/)/, '');
}
