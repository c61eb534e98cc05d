import { CfnCondition, CfnParameter, CfnRule, Fn, type Stack } from 'aws-cdk-lib';
import { PLATFORM_KINDS } from '../../../functions/adapters/platform/platforms.ts';
import { MAX_LENGTH } from '../max-length.ts';

/** The parameters of the platform, and the conditions that follow from them. */
export interface PlatformParameters {
  readonly platform: CfnParameter;
  readonly platformUrl: CfnParameter;
  /** Applications run on AWS Lambda, and users are in the table of the platform, in this account. */
  readonly onLambda: CfnCondition;
  /** Applications run on a platform that speaks the platform API, is called with a token, and has the users. */
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
    maxLength: MAX_LENGTH.address,
    // Passwords are sent there, so http only for this machine.
    allowedPattern: '(https://.+|http://(127[.]0[.]0[.]1|localhost)(:[0-9]+)?(/.*)?)?',
    constraintDescription: 'must be an https address of at most 255 characters',
    description: "Base address of the hosting platform's API, e.g. https://platform.example.com; only for http.",
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
  return { platform, platformUrl, onLambda: is('OnLambda', 'aws-lambda'), onHttp: is('OnHttp', 'http') };
}
