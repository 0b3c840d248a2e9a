/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.verify.check;

import dev.nightjar.verify.check.RegisterCall.Action;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Looks for an order in which the calls on one register can have happened: each at one moment between its begin and its end,
 * and each answer what the calls before it in that order make it. Not thread safe.
 *
 * <p>The search of Wing and Gong with the memory of Lowe. Begins and ends stand in one list by time. The calls whose begin
 * comes before the first end are those that may be next: one that the register's value allows is taken out of the list with
 * its end. When an end is met first, no call before it could be next, and the last choice is taken back. What was tried
 * before, the same set of calls with the same value, is not tried again.
 *
 * <pre>
 *   A write x  |-------|             begin A, begin B, end B, begin C, end A, end C
 *   B read -     |--|                B first (A first would make it see x), then A, then C
 *   C read x            |----|
 * </pre>
 *
 * <p>A call without an answer never ends: it may come last, where nobody sees whether it has happened.
 */
public final class Linearizability {
    /** Attempts after which a search is given up as too long; histories of a test need some thousands. */
    static final int MOST_ATTEMPTS = 20_000_000;

    private final Mark head = new Mark(-1, true);
    private final List<RegisterCall> calls;
    private final BitSet taken;
    private final Set<Position> tried = new HashSet<>();
    private final Deque<Choice> choices = new ArrayDeque<>();
    private @Nullable String value;

    /** Begin or end of a call, in a list by time. */
    private static final class Mark {
        final int call;
        final boolean begins;

        @Nullable
        Mark previous;

        @Nullable
        Mark next;
        /** Of a begin: the end; null if there is none. */
        @Nullable
        Mark end;

        Mark(int call, boolean begins) {
            this.call = call;
            this.begins = begins;
        }

        void takeOut() {
            if (previous != null) {
                previous.next = next;
            }
            if (next != null) {
                next.previous = previous;
            }
        }

        void putBack() {
            if (previous != null) {
                previous.next = this;
            }
            if (next != null) {
                next.previous = this;
            }
        }
    }

    private record Position(BitSet taken, @Nullable String value) {}

    private record Choice(Mark begin, @Nullable String valueBefore) {}

    private Linearizability(List<RegisterCall> history) {
        calls = history.stream()
                .sorted(Comparator.comparingLong(RegisterCall::beginNanos))
                .toList();
        taken = new BitSet(calls.size());
        link();
    }

    /** Whether the calls, in whatever order they are given, can have happened on a register without a value at first. */
    public static boolean holds(List<RegisterCall> history) {
        return new Linearizability(history).search();
    }

    /** Of two marks at one time the begin comes first: the calls may have overlapped. */
    private void link() {
        List<Mark> marks = new ArrayList<>();
        for (int i = 0; i < calls.size(); i++) {
            Mark begin = new Mark(i, true);
            marks.add(begin);
            if (calls.get(i).isAnswered()) {
                Mark end = new Mark(i, false);
                begin.end = end;
                marks.add(end);
            }
        }
        marks.sort(Comparator.comparingLong(this::time).thenComparing(mark -> !mark.begins));
        Mark last = head;
        for (Mark mark : marks) {
            last.next = mark;
            mark.previous = last;
            last = mark;
        }
    }

    private long time(Mark mark) {
        RegisterCall call = calls.get(mark.call);
        return mark.begins ? call.beginNanos() : call.endNanos();
    }

    private boolean search() {
        long answered = calls.stream().filter(RegisterCall::isAnswered).count();
        Mark at = head.next;
        for (int attempts = 0; answered > 0; attempts++) {
            if (attempts > MOST_ATTEMPTS) {
                throw new IllegalStateException(
                        "no answer after " + attempts + " attempts on " + calls.size() + " calls");
            }
            if (at != null && at.begins) {
                if (take(at)) {
                    answered -= at.end == null ? 0 : 1;
                    at = head.next;
                } else {
                    at = at.next;
                }
            } else {
                Choice last = choices.pollLast();
                if (last == null) {
                    return false;
                }
                takeBack(last);
                answered += last.begin.end == null ? 0 : 1;
                at = last.begin.next;
            }
        }
        return true;
    }

    private boolean take(Mark begin) {
        RegisterCall call = calls.get(begin.call);
        if (!allows(call)) {
            return false;
        }
        String after = after(call.action());
        taken.set(begin.call);
        if (!tried.add(new Position((BitSet) taken.clone(), after))) {
            taken.clear(begin.call);
            return false;
        }
        choices.addLast(new Choice(begin, value));
        value = after;
        begin.takeOut();
        if (begin.end != null) {
            begin.end.takeOut();
        }
        return true;
    }

    private void takeBack(Choice choice) {
        value = choice.valueBefore;
        taken.clear(choice.begin.call);
        if (choice.begin.end != null) {
            choice.begin.end.putBack();
        }
        choice.begin.putBack();
    }

    private boolean allows(RegisterCall call) {
        return !call.isAnswered()
                || switch (call.action()) {
                    case Action.Read(String seen) -> Objects.equals(seen, value);
                    case Action.Write _ -> true;
                    case Action.Swap(String expected, String _) -> Objects.equals(expected, value);
                    case Action.FailedSwap(String expected, String seen) ->
                        Objects.equals(seen, value) && !Objects.equals(expected, value);
                };
    }

    private @Nullable String after(Action action) {
        return switch (action) {
            case Action.Read _, Action.FailedSwap _ -> value;
            case Action.Write(String written) -> written;
            case Action.Swap(String expected, String swapped) -> Objects.equals(expected, value) ? swapped : value;
        };
    }
}
