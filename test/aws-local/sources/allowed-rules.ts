import { ACCOUNT, REGION } from '../clients.ts';
import type { Warn } from '../invoke/invoker.ts';
import { invocationDenials } from '../permissions/invocations.ts';
import { nameOfResource } from '../resources/resources.ts';
import type { Resource, Template } from '../template/template.ts';

/** Returns the ARN that events of a rule, and the permission for it, name. */
export function arnOfRule(rule: Resource): string {
  return `arn:aws:events:${REGION}:${ACCOUNT}:rule/${nameOfResource(rule)}`;
}

/**
 * Tells which functions rules may invoke, and warns of the others: EventBridge only counts them in a metric.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-troubleshooting.html
 */
export function allowedRules({ template, warn }: { readonly template: Template; readonly warn: Warn }) {
  const denialOf = invocationDenials(template);
  return ({ functionName, arn: sourceArn }: { readonly functionName: string; readonly arn: string }): boolean => {
    const denial = denialOf({ functionName, sourceArn, principal: 'events.amazonaws.com' });
    if (denial !== undefined) warn(`On AWS, this would be refused: ${denial}.`);
    return denial === undefined;
  };
}
