package example.galla;

/**
 * A verified callback. A repeated one has the same webhookId: handle it once.
 *
 * @param timestamp when it happened, ISO 8601 in UTC
 */
public record CallbackEvent(String webhookId, String type, String timestamp, Data.FinishedOperation data) {}
