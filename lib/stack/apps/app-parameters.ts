import { CfnCondition, CfnParameter, Fn, type Stack } from 'aws-cdk-lib';

/** The parameters of applications, and the condition that follows from them. */
export interface AppParameters {
  readonly appTimeoutSeconds: CfnParameter;
  readonly appConcurrency: CfnParameter;
  readonly appRoles: CfnParameter;
  /** Whether each application has a role of its own. */
  readonly ownRoles: CfnCondition;
}

/** Adds the parameters of applications. */
export function appParameters(stack: Stack): AppParameters {
  const appRoles = new CfnParameter(stack, 'AppRoles', {
    default: 'shared',
    allowedValues: ['shared', 'own'],
    description: 'The role with which an application writes its log: one for all, or from its next deploy on its own.',
  });
  return {
    appTimeoutSeconds: new CfnParameter(stack, 'AppTimeoutSeconds', {
      type: 'Number',
      default: 30,
      minValue: 1,
      // Lambda's limit.
      maxValue: 900,
      description: 'Seconds that a request to an application may take.',
    }),
    appConcurrency: new CfnParameter(stack, 'AppConcurrency', {
      type: 'Number',
      default: 10,
      minValue: 0,
      maxValue: 1000,
      description: 'Requests to an application at a time, reserved where the account has enough; 0: no limit.',
    }),
    appRoles,
    ownRoles: new CfnCondition(stack, 'OwnRoles', { expression: Fn.conditionEquals(appRoles.valueAsString, 'own') }),
  };
}
