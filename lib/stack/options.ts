import { CfnCondition, Fn } from 'aws-cdk-lib';
import type { SpecRestApi } from 'aws-cdk-lib/aws-apigateway';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import type { Parameters } from './parameters.ts';

/**
 * A budget of the whole account, which mails to `AlarmEmail` when a month is expected to cost more than
 * `MonthlyBudgetDollars`, and when it has. It is made only with both parameters. It stops nothing.
 */
export class Budget extends Construct {
  constructor(scope: Construct, id: string, { monthlyBudgetDollars, alarmEmail }: Parameters) {
    super(scope, id);
    const isGiven = (value: string, none: string) => Fn.conditionNot(Fn.conditionEquals(value, none));
    const wanted = new CfnCondition(this, 'Wanted', {
      expression: Fn.conditionAnd(
        isGiven(monthlyBudgetDollars.valueAsString, '0'),
        isGiven(alarmEmail.valueAsString, ''),
      ),
    });
    const mail = (notificationType: 'ACTUAL' | 'FORECASTED') => ({
      notification: {
        notificationType,
        comparisonOperator: 'GREATER_THAN',
        threshold: 100,
        thresholdType: 'PERCENTAGE',
      },
      subscribers: [{ subscriptionType: 'EMAIL', address: alarmEmail.valueAsString }],
    });
    const budget = new CfnBudget(this, 'Month', {
      budget: {
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount: monthlyBudgetDollars.valueAsNumber, unit: 'USD' },
      },
      notificationsWithSubscribers: [mail('FORECASTED'), mail('ACTUAL')],
    });
    budget.cfnOptions.condition = wanted;
  }
}

/**
 * A firewall in front of the REST API that blocks an address for as long as it sends more requests in five minutes than
 * `FirewallRequests`. It is made only when `Firewall` is `on`, because it costs more than a small installation in all.
 */
export class Firewall extends Construct {
  constructor(scope: Construct, id: string, rest: SpecRestApi, { firewall, firewallRequests }: Parameters) {
    super(scope, id);
    const wanted = new CfnCondition(this, 'Wanted', {
      expression: Fn.conditionEquals(firewall.valueAsString, 'on'),
    });
    const visibilityConfig = { cloudWatchMetricsEnabled: true, sampledRequestsEnabled: false };
    const acl = new CfnWebACL(this, 'Acl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: { ...visibilityConfig, metricName: 'requests' },
      rules: [
        {
          name: 'requests-of-an-address',
          priority: 0,
          action: { block: {} },
          statement: { rateBasedStatement: { aggregateKeyType: 'IP', limit: firewallRequests.valueAsNumber } },
          visibilityConfig: { ...visibilityConfig, metricName: 'blocked' },
        },
      ],
    });
    const attached = new CfnWebACLAssociation(this, 'Attached', {
      resourceArn: rest.deploymentStage.stageArn,
      webAclArn: acl.attrArn,
    });
    for (const part of [acl, attached]) part.cfnOptions.condition = wanted;
  }
}
