import { join } from 'node:path';
import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { LambdaIntegration, RestApi } from 'aws-cdk-lib/aws-apigateway';
import { AttributeType, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Function as CdkFunction, Code, Runtime, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { CfnStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';

/** A shop: an order goes from the API through a queue into a table, and its receipt from the stream into a bucket. */
export class OrdersStack extends Stack {
  /** @param bundles folder with a folder for each handler, as `synthesiseOrders` writes it */
  constructor(scope: Construct, id: string, bundles: string) {
    super(scope, id);
    const orders = new Table(this, 'Orders', {
      partitionKey: { name: 'id', type: AttributeType.STRING },
      stream: StreamViewType.NEW_IMAGE,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const receipts = new Bucket(this, 'Receipts');
    const incoming = new Queue(this, 'Incoming', { visibilityTimeout: Duration.seconds(30) });
    const fn = (name: string, environment: Record<string, string> = {}) =>
      new CdkFunction(this, name, {
        runtime: Runtime.NODEJS_22_X,
        handler: 'index.handler',
        code: Code.fromAsset(join(bundles, name)),
        environment,
        timeout: Duration.seconds(10),
      });

    const placeOrder = fn('place-order', { QUEUE_URL: incoming.queueUrl });
    incoming.grantSendMessages(placeOrder);
    const storeOrder = fn('store-order', { TABLE: orders.tableName });
    orders.grantWriteData(storeOrder);
    storeOrder.addEventSource(new SqsEventSource(incoming));
    const writeReceipt = fn('write-receipt', { BUCKET: receipts.bucketName });
    receipts.grantPut(writeReceipt);
    orders.grantStreamRead(writeReceipt);
    writeReceipt.addEventSourceMapping('OrdersStream', {
      eventSourceArn: orders.tableStreamArn ?? '',
      startingPosition: StartingPosition.TRIM_HORIZON,
    });
    const readReceipt = fn('read-receipt', { BUCKET: receipts.bucketName });
    receipts.grantRead(readReceipt);
    const openShop = fn('open-shop', { BUCKET: receipts.bucketName });
    receipts.grantPut(openShop);
    new Rule(this, 'Opening', { schedule: Schedule.rate(Duration.hours(1)), targets: [new LambdaFunction(openShop)] });

    const api = new RestApi(this, 'Shop');
    const resource = api.root.addResource('orders');
    resource.addMethod('POST', new LambdaIntegration(placeOrder));
    resource.addResource('{id}').addMethod('GET', new LambdaIntegration(readReceipt));
    // A type that aws-local does not know.
    const definition = { StartAt: 'Refunded', States: { Refunded: { Type: 'Succeed' } } };
    new CfnStateMachine(this, 'Refunds', { roleArn: 'arn:aws:iam::000000000000:role/none', definition });
  }
}
