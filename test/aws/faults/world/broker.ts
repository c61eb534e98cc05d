import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
} from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { sqsEvent } from '../../../support/events/aws-events.ts';
import { type Aws, type QueueSettings, queues, queueUrl } from './aws.ts';
import { clock } from './clock.ts';
import type { FunctionName, Instances } from './functions.ts';
import type { Death } from './runs.ts';

/** Messages of one queue, as Lambda gets them for one invocation. */
export interface Delivery {
  readonly queue: QueueSettings;
  readonly messages: readonly Message[];
  /** A second copy of messages that SQS has delivered already; it has no place in the queue. */
  readonly isCopy?: boolean;
}

interface Copy {
  readonly delivery: Delivery;
  readonly until: number;
}

interface Hidden {
  readonly queue: QueueSettings;
  readonly receipt: string;
  readonly until: number;
}

/**
 * Lambda's event source mappings on the virtual time: messages that failed become visible again when that time has
 * come, not when real seconds have passed.
 */
export class Broker {
  readonly #aws: Aws;
  readonly #instances: Instances;
  /** Set by the functions' own calls, by receipt: in how many seconds a message is to come again. */
  readonly wanted = new Map<string, number>();
  #hidden: Hidden[] = [];
  #copies: Copy[] = [];
  /** Counts the restarts of the queues: receipts of an earlier one mean nothing. */
  #age = 0;
  /** Whether a queue may have a message that is visible. */
  #mayHave = true;

  constructor(aws: Aws, instances: Instances) {
    this.#aws = aws;
    this.#instances = instances;
  }

  /** Receives what is visible: at most one delivery for each queue. */
  async receive(): Promise<readonly Delivery[]> {
    await this.#show();
    const copies = this.#copies.filter(({ until }) => until <= clock.now()).map(({ delivery }) => delivery);
    this.#copies = this.#copies.filter(({ until }) => until > clock.now());
    return [...copies, ...(await this.#receiveAll())];
  }

  async #receiveAll(): Promise<readonly Delivery[]> {
    if (!this.#mayHave) return [];
    const found = await Promise.all(queues.map((queue) => this.#receive(queue)));
    const deliveries = found.filter(({ messages }) => messages.length > 0);
    this.#mayHave = deliveries.length > 0;
    return deliveries;
  }

  address(path: string): string {
    return `${this.#aws.addresses.sqs}${path}`;
  }

  /** A message was sent. */
  sent(): void {
    this.#mayHave = true;
  }

  /** Invokes the function of a delivery and deletes or hides its messages; returns how many calls it made. */
  async deliver(delivery: Delivery, dies: Death | null = null): Promise<number> {
    const { queue, messages, isCopy } = delivery;
    if (isCopy) {
      await this.deliverAgain(delivery);
      return 0;
    }
    const name = queue.name as Exclude<FunctionName, 'deploy' | 'sweep'>;
    const age = this.#age;
    const { run, result } = await this.#instances.run(name, (handler) => handler(eventOf(messages)), dies);
    const failed = result === 'dead' ? null : new Set(result.batchItemFailures.map((one) => one.itemIdentifier));
    if (age !== this.#age) return run.calls;
    for (const message of messages) {
      if (failed && !failed.has(message.MessageId ?? '')) await this.#remove(queue, message);
      else this.#hide(queue, message);
    }
    this.#mayHave = true;
    return run.calls;
  }

  /**
   * Invokes the function with messages that another worker has or had too, as SQS may. A copy that fails comes again,
   * like every message.
   */
  async deliverAgain({ queue, messages }: Delivery): Promise<void> {
    const name = queue.name as Exclude<FunctionName, 'deploy' | 'sweep'>;
    const age = this.#age;
    const { result } = await this.#instances.run(name, (handler) => handler(eventOf(messages)));
    const isDone = result !== 'dead' && result.batchItemFailures.length === 0;
    if (isDone || age !== this.#age) return;
    const until = clock.now() + queue.visibilitySeconds * 1000;
    this.#copies.push({ delivery: { queue, messages, isCopy: true }, until });
  }

  /** Gives back what was received and not delivered. */
  async release(deliveries: readonly Delivery[]): Promise<void> {
    for (const delivery of deliveries) {
      const { queue, messages, isCopy } = delivery;
      if (isCopy) this.#copies.push({ delivery, until: clock.now() });
      for (const { ReceiptHandle: receipt = '' } of isCopy ? [] : messages)
        this.#hidden.push({ queue, receipt, until: clock.now() });
    }
    await this.#show();
  }

  /** Returns when the next message becomes visible again; null when none is hidden. */
  next(): number | null {
    const waiting = [...this.#hidden, ...this.#copies];
    return waiting.length === 0 ? null : Math.min(...waiting.map(({ until }) => until));
  }

  /** All messages are lost. */
  clear(): void {
    this.#age += 1;
    this.#mayHave = true;
    this.#hidden = [];
    this.#copies = [];
    this.wanted.clear();
  }

  async #receive(queue: QueueSettings): Promise<Delivery> {
    const { Messages: messages = [] } = await this.#aws.clients.sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: this.#url(queue),
        MaxNumberOfMessages: 10,
        WaitTimeSeconds: 0,
        MessageSystemAttributeNames: ['All'],
      }),
    );
    return { queue, messages };
  }

  #hide(queue: QueueSettings, { ReceiptHandle: receipt = '' }: Message): void {
    const seconds = this.wanted.get(receipt) ?? queue.visibilitySeconds;
    this.wanted.delete(receipt);
    this.#hidden.push({ queue, receipt, until: clock.now() + seconds * 1000 });
  }

  async #show(): Promise<void> {
    const due = this.#hidden.filter(({ until }) => until <= clock.now());
    this.#hidden = this.#hidden.filter(({ until }) => until > clock.now());
    for (const { queue, receipt } of due) {
      this.#mayHave = true;
      const change = { QueueUrl: this.#url(queue), ReceiptHandle: receipt, VisibilityTimeout: 0 };
      await this.#aws.clients.sqs.send(new ChangeMessageVisibilityCommand(change));
    }
  }

  async #remove(queue: QueueSettings, { ReceiptHandle }: Message): Promise<void> {
    this.wanted.delete(ReceiptHandle ?? '');
    await this.#aws.clients.sqs.send(new DeleteMessageCommand({ QueueUrl: this.#url(queue), ReceiptHandle }));
  }

  #url({ file }: QueueSettings): string {
    return queueUrl(this.#aws.addresses.sqs, file);
  }
}

function eventOf(messages: readonly Message[]): SQSEvent {
  return sqsEvent(
    ...messages.map(
      ({ MessageId: messageId = '', ReceiptHandle: receiptHandle = '', Body: body = '', Attributes }) => ({
        messageId,
        receiptHandle,
        body,
        attributes: Attributes,
      }),
    ),
  );
}
