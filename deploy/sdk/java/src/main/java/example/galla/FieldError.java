package example.galla;

/**
 * One wrong field.
 *
 * @param field its name
 * @param rule a word for programs
 * @param message words for people
 */
public record FieldError(String field, String rule, String message) {}
