import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/**
 * Returns the update of an item that sets attributes, and removes those that are null; what is undefined stays. A
 * condition and its values, which do not begin with `:set`, may be added.
 */
export function updateOf(changes: Readonly<Record<string, AttributeValue | null | undefined>>) {
  const changed = Object.entries(changes).filter(([, value]) => value !== undefined);
  const [set, removed]: [string[], string[]] = [[], []];
  const values: Record<string, AttributeValue> = {};
  for (const [index, [, value]] of changed.entries()) {
    if (value) {
      set.push(`#set${index} = :set${index}`);
      values[`:set${index}`] = value;
    } else removed.push(`#set${index}`);
  }
  const clauses = [
    set.length > 0 ? `SET ${set.join(', ')}` : '',
    removed.length > 0 ? `REMOVE ${removed.join(', ')}` : '',
  ];
  return {
    UpdateExpression: clauses.join(' ').trim(),
    ExpressionAttributeNames: Object.fromEntries(changed.map(([name], index) => [`#set${index}`, name])),
    ...(set.length > 0 && { ExpressionAttributeValues: values }),
  };
}
