import { OperatorError } from '../../../lib/files/errors.ts';
import { isRecord } from '../template/intrinsics.ts';
import type { Template } from '../template/template.ts';
import { principalsOf } from './policy-statements.ts';

/**
 * The principals of a template, by the type of the resource that names them. A string says why what a principal may do
 * is not evaluated here.
 */
const PRINCIPALS: Readonly<Record<string, Readonly<Record<string, true | string>>>> = {
  'AWS::IAM::Role': {
    'service:lambda.amazonaws.com': true,
    'service:codebuild.amazonaws.com': true,
    'service:apigateway.amazonaws.com': 'API Gateway writes no log here',
  },
  'AWS::Lambda::Permission': {
    'service:apigateway.amazonaws.com': true,
    'service:events.amazonaws.com': true,
    'service:logs.amazonaws.com': true,
  },
  'AWS::KMS::Key': { 'service:cloudwatch.amazonaws.com': 'alarms do not run here', account: true },
  'AWS::SQS::QueuePolicy': { account: true },
  'AWS::S3::BucketPolicy': { account: true },
  'AWS::SNS::TopicPolicy': {
    'service:cloudwatch.amazonaws.com': 'alarms do not run here',
    account: 'no function publishes to a topic, and a call would be refused',
  },
};

/**
 * Returns the principals of a template whose permissions are not evaluated here, each with the reason.
 *
 * @throws OperatorError for one of which it is not known here whether they are
 */
export function notEvaluated(template: Template): readonly string[] {
  return [...template.resources.values()].flatMap(({ logicalId, type, properties }) => {
    const named =
      type === 'AWS::Lambda::Permission' ? [`service:${properties.Principal}`] : namedIn(properties, logicalId);
    return [...new Set(named)].flatMap((principal) => {
      const known = PRINCIPALS[type]?.[principal.startsWith('service:') ? principal : 'account'];
      const name = principal.replace('service:', '');
      if (known === undefined) {
        throw new OperatorError(`${type} ${logicalId}: it is not known on this machine what ${name} does with it.`);
      }
      return known === true ? [] : [`${name} in ${logicalId} (${type}): ${known}`];
    });
  });
}

/** Finds the statements of policies, wherever they are. */
function namedIn(value: unknown, where: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((one) => namedIn(one, where));
  if (!isRecord(value)) return [];
  if ('Principal' in value && 'Effect' in value) return principalsOf(value.Principal, where);
  return Object.values(value).flatMap((one) => namedIn(one, where));
}
