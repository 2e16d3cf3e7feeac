package example.galla;

/** What became of an operation. Pending is neither success nor failure: pay nothing out. */
public enum State {
    SUCCESS,
    DECLINED,
    REVERSED,
    PENDING;

    /** In lower case. */
    @Override
    public String toString() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
