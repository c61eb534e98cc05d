import { CfnCondition, Fn } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import type { Parameters } from '../parameters.ts';

/**
 * A firewall in front of the REST API that blocks an address for as long as it sends more requests in five minutes than
 * `FirewallRequests`. It is made only when `Firewall` is `on`, because it costs more than a small installation in all.
 */
export class Firewall extends Construct {
  constructor(scope: Construct, id: string, rest: RestApi, { firewall, firewallRequests }: Parameters) {
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
