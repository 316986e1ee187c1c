import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.stream.Collectors;

/**
 * Prints the public and protected methods of classes, with those that they inherit, except from
 * Object: a line for each name, with all its signatures.
 */
public final class Methods {
    public static void main(String[] names) throws Exception {
        List<Class<?>> all = new ArrayList<>();
        for (String name : names) {
            all.add(Class.forName(name));
        }
        for (Class<?> c : all) {
            String above = all.stream().filter(o -> o != c && o.isAssignableFrom(c))
                    .map(Class::getSimpleName).sorted().collect(Collectors.joining(" "));
            System.out.println((c.getName() + " is " + above).trim());
            for (Map.Entry<String, TreeSet<String>> m : methods(c).entrySet()) {
                System.out.println(c.getSimpleName() + "." + m.getKey() + " " + String.join(" ", m.getValue()));
            }
            // The policies are nested in the executor.
            Arrays.stream(c.getDeclaredClasses()).filter(RejectedExecutionHandler.class::isAssignableFrom)
                    .map(Class::getSimpleName).sorted()
                    .forEach(n -> System.out.println("RejectedExecutionHandler." + n + " own class"));
        }
    }

    /** Returns for each name, with whether the class has it of its own, the parameters. */
    private static Map<String, TreeSet<String>> methods(Class<?> c) {
        List<Method> found = new ArrayList<>(Arrays.asList(c.getMethods()));
        for (Class<?> k = c; k != null && k != Enum.class; k = k.getSuperclass()) {
            Arrays.stream(k.getDeclaredMethods()).filter(m -> Modifier.isProtected(m.getModifiers()))
                    .forEach(found::add);
        }
        found.removeIf(m -> m.isSynthetic() || m.getDeclaringClass() == Object.class);
        List<String> own = found.stream().filter(m -> m.getDeclaringClass() == c)
                .map(Member::getName).collect(Collectors.toList());
        Map<String, TreeSet<String>> lines = new TreeMap<>();
        for (Method m : found) {
            String key = m.getName() + (own.contains(m.getName()) ? " own" : " inherited");
            lines.computeIfAbsent(key, k -> new TreeSet<>()).add(Arrays.stream(m.getParameterTypes())
                    .map(Class::getSimpleName).collect(Collectors.joining(",", "(", ")")));
        }
        return lines;
    }
}
