import { CfnCondition, CfnParameter, CfnRule, Fn, type Stack } from 'aws-cdk-lib';
import { PLATFORM_KINDS } from '../../../functions/adapters/platform/platforms.ts';

/** The parameters of the platform, and the conditions that follow from them. */
export interface PlatformParameters {
  readonly platform: CfnParameter;
  readonly platformUrl: CfnParameter;
  readonly appTimeoutSeconds: CfnParameter;
  readonly appConcurrency: CfnParameter;
  readonly appRoles: CfnParameter;
  /** Applications run on AWS Lambda, in this account. */
  readonly onLambda: CfnCondition;
  /** They do, each with a role of its own. */
  readonly ownRoles: CfnCondition;
  /** Applications run on a platform that speaks the platform API, and is called with a token. */
  readonly onHttp: CfnCondition;
}

/** Adds the parameters about the platform. A rule requires the address of one that is found by its address. */
export function platformParameters(stack: Stack): PlatformParameters {
  const platform = new CfnParameter(stack, 'Platform', {
    default: 'aws-lambda',
    allowedValues: [...PLATFORM_KINDS],
    description: 'Where applications run: on AWS Lambda in this account, or at PlatformUrl.',
  });
  const platformUrl = new CfnParameter(stack, 'PlatformUrl', {
    default: '',
    maxLength: 255,
    // The token of the service is sent there, so http only for this machine.
    allowedPattern: '(https://.+|http://(127[.]0[.]0[.]1|localhost)(:[0-9]+)?(/.*)?)?',
    constraintDescription: 'must be an https address of at most 255 characters',
    description: "Base address of the hosting platform's API, e.g. https://platform.example.com; only for http.",
  });
  const appTimeoutSeconds = new CfnParameter(stack, 'AppTimeoutSeconds', {
    type: 'Number',
    default: 30,
    minValue: 1,
    // Lambda's limit.
    maxValue: 900,
    description: 'Seconds that a request to an application may take; only on AWS Lambda.',
  });
  const appConcurrency = new CfnParameter(stack, 'AppConcurrency', {
    type: 'Number',
    default: 10,
    minValue: 0,
    maxValue: 1000,
    description: 'Requests to an application at a time, reserved where the account has enough; 0: no limit.',
  });
  const appRoles = new CfnParameter(stack, 'AppRoles', {
    default: 'shared',
    allowedValues: ['shared', 'own'],
    description: 'The role with which an application writes its log: one for all, or from its next deploy on its own.',
  });
  new CfnRule(stack, 'PlatformIsKnown', {
    ruleCondition: Fn.conditionEquals(platform.valueAsString, 'http'),
    assertions: [
      {
        assert: Fn.conditionNot(Fn.conditionEquals(platformUrl.valueAsString, '')),
        assertDescription: "Set PlatformUrl to the base address of the hosting platform's API.",
      },
    ],
  });
  const is = (id: string, kind: string) =>
    new CfnCondition(stack, id, { expression: Fn.conditionEquals(platform.valueAsString, kind) });
  const conditions = { onLambda: is('OnLambda', 'aws-lambda'), onHttp: is('OnHttp', 'http') };
  const ownRoles = new CfnCondition(stack, 'OwnRoles', {
    expression: Fn.conditionAnd(conditions.onLambda, Fn.conditionEquals(appRoles.valueAsString, 'own')),
  });
  return { platform, platformUrl, appTimeoutSeconds, appConcurrency, appRoles, ownRoles, ...conditions };
}
