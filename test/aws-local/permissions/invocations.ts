import { OperatorError } from '../../../lib/files/errors.ts';
import { nameOf } from '../arn.ts';
import { ACCOUNT } from '../clients.ts';
import type { Resource, Template } from '../template/template.ts';
import { matches } from './guard.ts';

/** A service that invokes a function for one of its own resources. */
interface ServiceInvocation {
  readonly functionName: string;
  /** `events.amazonaws.com` */
  readonly principal: string;
  /** ARN of the rule, the method, the authorizer or the log group. */
  readonly sourceArn: string;
}

/** Returns why a service may not invoke a function; undefined when a permission of the function allows it. */
export type InvocationDenial = (invocation: ServiceInvocation) => string | undefined;

/**
 * Decides by the `AWS::Lambda::Permission` resources of a template, which make up the resource policies of its functions.
 *
 * @throws OperatorError for a permission with a condition that is not understood here
 * @see https://docs.aws.amazon.com/lambda/latest/dg/permissions-function-services.html
 */
export function invocationDenials(template: Template): InvocationDenial {
  const permissions = template.ofType('AWS::Lambda::Permission').map(permissionOf);
  return ({ functionName, principal, sourceArn }) => {
    const isAllowed = permissions.some(
      (one) => one.functionName === functionName && one.principal === principal && matches(one.sourceArn, sourceArn),
    );
    return isAllowed
      ? undefined
      : `${principal} is not authorized to perform: lambda:InvokeFunction on function ${functionName} for ${sourceArn}`;
  };
}

const KNOWN = new Set(['Action', 'FunctionName', 'Principal', 'SourceArn', 'SourceAccount']);

/** What services invoke here belongs to the account of the template. */
function permissionOf({ logicalId, properties }: Resource): ServiceInvocation {
  const { Action, FunctionName, Principal, SourceArn = '*', SourceAccount = ACCOUNT } = properties;
  const unknown = Object.keys(properties).find((name) => !KNOWN.has(name));
  if (unknown !== undefined || Action !== 'lambda:InvokeFunction' || SourceAccount !== ACCOUNT) {
    throw new OperatorError(
      `permission ${logicalId}: this machine cannot evaluate ${unknown ?? `${Action} for ${SourceAccount}`}.`,
    );
  }
  return { functionName: nameOf(String(FunctionName)), principal: String(Principal), sourceArn: String(SourceArn) };
}
