// What tsc --strict must accept, and (marked) must not. Nothing runs this file.

import {
  DeclinedError, DirectClient, GatewayClient, OutcomeUnknownError, Result, ValidationError, Withdrawal, newKey, rupees, verifyCallback, version,
} from '@galla/sdk';
import { parseKey, sealRequest } from '@galla/sdk/envelope';

const direct = new DirectClient({ baseUrl: 'https://api.example.org', clientId: 'c', clientSecret: 's' });
const gateway = new GatewayClient({ baseUrl: 'https://api.example.org', clientId: 'c', key: 'k', merchantId: 'm' });
const finger = { AadharNo: '', Latitude: '', Longitude: '', CustomerName: '', PidData: '' };

export async function day(): Promise<string | undefined> {
  const idempotencyKey: string = newKey();
  let paid: Result<Withdrawal> = await direct.aepsWithdrawal({ ...finger, TxnAmount: rupees(500_00) }, { idempotencyKey });
  if (paid.state === 'pending') paid = await direct.wait(paid, { timeout: 60 });
  const balance: string | undefined = paid.data?.Balance;
  const sure: string = paid.orThrow().data.RetailerReferenceNumber;
  const page = await gateway.vendorMerchants({ page: 1 });
  const total: number | undefined = page.extra.pagination?.total;
  const names: string[] = (page.data ?? []).map((m) => m.legal_name);
  const either = (await gateway.aepsRequery({ reference: 'r' })).data;
  const status: 'SUCCESS' | 'FAILED' | 'REVERSED' | undefined = either?.txnStatus;
  await gateway.aepsBanks();
  await direct.operationsGet({ id: idempotencyKey });
  const raw: unknown = (await direct.call('POST', '/aeps/submit', {})).data;
  try {
    await gateway.dmtTransactionCharges({ senderId: 's', amount: 1 });
  } catch (error) {
    if (error instanceof ValidationError) return error.fields.map((f) => f.field + f.rule).join();
    if (error instanceof DeclinedError) return error.responseCode;
    if (error instanceof OutcomeUnknownError) return error.idempotencyKey;
  }
  const event = verifyCallback({ body: '', headers: { 'webhook-id': 'x' }, secrets: ['whsec_'] });
  const done: string = event.data.txnStatus;
  sealRequest(parseKey(''), { method: 'GET', path: '/', clientId: '', requestId: '', json: '{}' });
  return [balance, sure, total, ...names, status, raw, done, version].join();
}

export function wrong(): void {
  // @ts-expect-error TxnAmount is missing
  void direct.aepsWithdrawal(finger);
  // @ts-expect-error an amount is a number
  void direct.aepsWithdrawal({ ...finger, TxnAmount: '500' });
  // @ts-expect-error terminals are not at the gateway
  void gateway.terminalsList();
  // @ts-expect-error an unknown field
  void direct.aepsSubmit({ merchant: 'x' });
  // @ts-expect-error a key must be given
  new GatewayClient({ baseUrl: '', clientId: '' });
  // @ts-expect-error the vendor's id is in the path
  void direct.vendorCommissionList();
}
