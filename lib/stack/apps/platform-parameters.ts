import { CfnCondition, CfnParameter, CfnRule, Fn, type ICfnConditionExpression, type Stack } from 'aws-cdk-lib';
import { MAX_LENGTH } from '../max-length.ts';

/** The parameters of the platform, and the conditions that follow from them. */
export interface PlatformParameters {
  readonly platform: CfnParameter;
  readonly platformUrl: CfnParameter;
  readonly platformTeam: CfnParameter;
  readonly platformRegion: CfnParameter;
  /** Applications run on AWS Lambda, in this account. */
  readonly onLambda: CfnCondition;
  /** Applications run on a platform that speaks the platform API, and has the users. */
  readonly onHttp: CfnCondition;
  /** Applications run on Scalingo. */
  readonly onScalingo: CfnCondition;
  /** The tarballs of snapshots are in a bucket of this account. */
  readonly storesSnapshots: CfnCondition;
  /** Applications run on a platform that is called with a token. */
  readonly callsPlatform: CfnCondition;
  /** Users are in the table of the platform, in this account. */
  readonly keepsUsers: CfnCondition;
}

/** Adds the parameters about the platform. A rule requires the address of one that is found by its address. */
export function platformParameters(stack: Stack): PlatformParameters {
  const platform = new CfnParameter(stack, 'Platform', {
    default: 'aws-lambda',
    allowedValues: ['aws-lambda', 'heroku', 'scalingo', 'http'],
    description: 'Where applications run: on AWS Lambda in this account, on Heroku or Scalingo, or at PlatformUrl.',
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
  const platformTeam = new CfnParameter(stack, 'PlatformTeam', {
    default: '',
    maxLength: MAX_LENGTH.name,
    description: 'Team on Heroku that owns the applications; empty: the account of the token. Only for heroku.',
  });
  const platformRegion = new CfnParameter(stack, 'PlatformRegion', {
    default: 'osc-fr1',
    // A part of the name of the host that the token is sent to.
    allowedPattern: '[a-z0-9-]+',
    maxLength: MAX_LENGTH.region,
    constraintDescription: 'must be a region like osc-fr1',
    description: 'Region of Scalingo that applications run in. Only for scalingo.',
  });
  return { platform, platformUrl, platformTeam, platformRegion, ...platformConditions(stack, platform) };
}

function platformConditions(stack: Stack, platform: CfnParameter) {
  const condition = (id: string, expression: ICfnConditionExpression) => new CfnCondition(stack, id, { expression });
  const is = (value: string) => Fn.conditionEquals(platform.valueAsString, value);
  return {
    onLambda: condition('OnLambda', is('aws-lambda')),
    onHttp: condition('OnHttp', is('http')),
    onScalingo: condition('OnScalingo', is('scalingo')),
    storesSnapshots: condition('StoresSnapshots', Fn.conditionOr(is('aws-lambda'), is('scalingo'))),
    callsPlatform: condition('CallsPlatform', Fn.conditionNot(is('aws-lambda'))),
    keepsUsers: condition('KeepsUsers', Fn.conditionNot(is('http'))),
  };
}
