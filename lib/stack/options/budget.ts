import { CfnCondition, Fn } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { Construct } from 'constructs';
import type { Parameters } from '../parameters.ts';

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
